package io.rtransport.core.adp;

import java.util.ArrayList;
import java.util.List;

/**
 * The ROCE_ACCL register of a node: what its connections take that have no profile of their own. It
 * is asked and set while the node runs; what is set holds for connections made afterwards. A new
 * node begins with the built-in default, and there is no other way back to that (ADP flow, general
 * notes).
 *
 * <p>A set is refused whole if it does not go with a side that takes connections already: that side
 * could not offer what its register says. Any thread.
 */
public final class NodeRegister {
  private final List<AdpParameters> followers = new ArrayList<>();
  private RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.DEFAULT);
  private volatile AdpSelection selection = register.selection();

  /** What new connections take. Two answers are the same object as long as nothing has changed. */
  public AdpSelection selection() {
    return selection;
  }

  /** {@link RoceAcclRegister#query()}. */
  public synchronized byte[] query() {
    return register.query();
  }

  /** {@link RoceAcclRegister#query(int)}; throws as that. */
  public synchronized byte[] query(int id) {
    return register.query(id);
  }

  /**
   * {@link RoceAcclRegister#set}.
   *
   * @throws InvalidProfileException naming the first wrong field, or the ack_timeout of a side that
   *     accepts connections and that this does not go with; then nothing has changed
   */
  public synchronized void set(byte[] bytes) {
    RoceAcclRegister next = new RoceAcclRegister(register);
    next.set(bytes);
    AdpSelection selected = next.selection();
    for (int i = 0; i < followers.size(); i++) {
      selected.parameters(followers.get(i));
    }
    register = next;
    if (!selected.equals(selection)) {
      selection = selected;
    }
  }

  /**
   * A side with these parameters accepts connections from now on, and takes what is selected.
   *
   * @throws InvalidProfileException if the two do not go together; then it does not follow
   */
  public synchronized void follow(AdpParameters parameters) {
    selection.parameters(parameters);
    followers.add(parameters);
  }

  /** A side with equal parameters accepts no more. */
  public synchronized void unfollow(AdpParameters parameters) {
    followers.remove(parameters);
  }
}

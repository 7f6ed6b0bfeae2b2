package io.rtransport.core.adp;

import java.util.ArrayList;
import java.util.List;

/**
 * ROCE_ACCL register of a node, for its connections without a profile of their own. It can be
 * queried and set while the node runs. A set takes effect on connections made afterwards. A new
 * node begins with the built-in default, and no set returns to it (ADP flow, general notes).
 *
 * <p>A set is refused whole if it conflicts with a side that already accepts connections. That side
 * could not offer what its register says. Any thread.
 */
public final class NodeRegister {
  private final List<AdpParameters> followers = new ArrayList<>();
  private RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.DEFAULT);
  private volatile AdpSelection selection = register.selection();

  /** Returns the selection for new connections: the same object until it changes. */
  public AdpSelection selection() {
    return selection;
  }

  /** Returns {@link RoceAcclRegister#query()}. */
  public synchronized byte[] query() {
    return register.query();
  }

  /** Returns {@link RoceAcclRegister#query(int)} and throws like it. */
  public synchronized byte[] query(int id) {
    return register.query(id);
  }

  /**
   * Sets the register, see {@link RoceAcclRegister#set}.
   *
   * @throws InvalidProfileException naming the first wrong field, or the ack_timeout of a side that
   *     accepts connections and conflicts with this set; then nothing has changed
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
   * Registers a side that accepts connections with these parameters and takes the selection.
   *
   * @throws InvalidProfileException if the two conflict; then the side is not registered
   */
  public synchronized void follow(AdpParameters parameters) {
    selection.parameters(parameters);
    followers.add(parameters);
  }

  /** Removes one side with equal parameters: it accepts no more connections. */
  public synchronized void unfollow(AdpParameters parameters) {
    followers.remove(parameters);
  }
}

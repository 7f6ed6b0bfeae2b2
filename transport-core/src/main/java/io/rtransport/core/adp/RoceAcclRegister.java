package io.rtransport.core.adp;

import io.rtransport.core.text.InvalidValueException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Software copy of the register that sets and queries profiles: 64 bytes of big-endian 32-bit words
 * (ROCE_ACCL layout).
 *
 * <pre>
 *  00h       28 adp_retx_profile_select (RW), 0 roce_adp_retrans_field_select (RW)
 *  04h       30..28 adp_retx_profile_id (index), 0 roce_adp_retrans_en (RW)
 *  08h       30..28 adp_retx_profile_max_range_num, 26..24 adp_retx_profile_max_id,
 *            19..0 adp_retx_base_timeout_min in ns (all RO)
 *  10h..3Fh  adp_retx_profile (RW)
 * </pre>
 *
 * <p>A set changes only the fields that its select bits name. It is checked whole before anything
 * changes. Read-only fields in it are ignored. Profile 0 is the built-in default: a query shows it,
 * a set of it is refused. A set takes effect on connections made afterwards.
 *
 * <p>An object belongs to one endpoint and one thread at a time; the static functions are for any
 * thread.
 */
public final class RoceAcclRegister {
  public static final int LENGTH_BYTES = 64;

  /** adp_retx_profile_max_id. */
  public static final int PROFILE_ID_MAX = 7;

  private static final int PROFILE_SELECT = 1 << 28;
  private static final int FIELD_SELECT = 1;
  private static final int RETRANS_EN = 1;
  private static final int ID_SHIFT = 28;
  private static final int CAPABILITIES_OFFSET = 8;
  private static final int CAPABILITIES =
      AdpProfile.RANGE_COUNT_MAX << 28 | PROFILE_ID_MAX << 24 | (int) AdpTimer.BASE_TIMEOUT_NS_MIN;

  private final AdpProfile[] profiles = new AdpProfile[PROFILE_ID_MAX + 1];
  private int activeId;
  private boolean isAdaptive = true;

  /**
   * Creates a register without a set profile.
   *
   * @param builtIn the built-in profile that profile 0 shows
   */
  public RoceAcclRegister(AdpProfile builtIn) {
    profiles[0] = Objects.requireNonNull(builtIn, "builtIn");
  }

  /** Creates an independent copy. */
  RoceAcclRegister(RoceAcclRegister other) {
    System.arraycopy(other.profiles, 0, profiles, 0, profiles.length);
    activeId = other.activeId;
    isAdaptive = other.isAdaptive;
  }

  /**
   * Returns a set of profile 1 that also turns adaptation on: 00h = 10000001h, 04h = 10000001h, 08h
   * = 0, reserved 0.
   */
  public static byte[] encode(AdpProfile profile) {
    return encode(profile, 1, true);
  }

  /** Returns a set of a selection, as profile {@code id}. Throws like the method below. */
  public static byte[] encode(AdpSelection selection, int id) {
    return encode(selection.profile(), id, selection.isAdaptive());
  }

  /**
   * Returns a set of profile {@code id} and of roce_adp_retrans_en.
   *
   * @throws InvalidProfileException if the id is not in 1..7
   */
  public static byte[] encode(AdpProfile profile, int id, boolean isAdaptive) {
    checkId(id, 1);
    ByteBuffer register = ByteBuffer.allocate(LENGTH_BYTES);
    register.putInt(0, PROFILE_SELECT | FIELD_SELECT);
    register.putInt(4, id << ID_SHIFT | (isAdaptive ? RETRANS_EN : 0));
    RoceAcclLayout.write(profile, register);
    return register.array();
  }

  /** Returns a set of roce_adp_retrans_en alone. It changes no profile. */
  public static byte[] encode(boolean isAdaptive) {
    ByteBuffer register = ByteBuffer.allocate(LENGTH_BYTES);
    register.putInt(0, FIELD_SELECT);
    register.putInt(4, isAdaptive ? RETRANS_EN : 0);
    return register.array();
  }

  /**
   * Returns the selection in a dump of a set or of a query. Adaptation is on unless
   * roce_adp_retrans_en is valid in it (its select bit is set) and 0.
   *
   * @throws InvalidProfileException naming the first wrong field; adp_retx_profile_select = 0 means
   *     that the dump holds no profile
   */
  public static AdpSelection decode(byte[] register) {
    ByteBuffer words = words(register);
    if ((words.getInt(0) & PROFILE_SELECT) == 0) {
      throw new InvalidProfileException(
          "adp_retx_profile_select", 0, "1 (with 0 the register carries no profile)");
    }
    boolean isAdaptive =
        (words.getInt(0) & FIELD_SELECT) == 0 || (words.getInt(4) & RETRANS_EN) != 0;
    return new AdpSelection(RoceAcclLayout.read(words), isAdaptive);
  }

  /**
   * Returns the bytes of a dump in hexadecimal digits. Blanks and line ends between the digits are
   * allowed.
   *
   * @throws InvalidValueException if it is not 64 bytes of digits
   */
  public static byte[] parseHex(String name, String hex) {
    try {
      byte[] register = HexFormat.of().parseHex(hex.replaceAll("\\s+", ""));
      if (register.length == LENGTH_BYTES) {
        return register;
      }
    } catch (IllegalArgumentException e) {
      // Not digits, or an odd number of them: the answer below.
    }
    throw new InvalidValueException(name, hex, "128 hexadecimal digits, the 64 bytes of ROCE_ACCL");
  }

  /**
   * Returns the register with the profile of new connections. adp_retx_profile_id is 0 for the
   * built-in default, above 0 for a profile that was set (ADP flow, general notes: which mode is
   * active).
   */
  public byte[] query() {
    return query(activeId);
  }

  /**
   * Returns the register with profile {@code id}. adp_retx_profile_select is 0 for a profile that
   * was never set.
   *
   * @throws InvalidProfileException if the id is not in 0..7
   */
  public byte[] query(int id) {
    checkId(id, 0);
    ByteBuffer register = ByteBuffer.allocate(LENGTH_BYTES);
    AdpProfile profile = profiles[id];
    register.putInt(0, FIELD_SELECT | (profile == null ? 0 : PROFILE_SELECT));
    register.putInt(4, id << ID_SHIFT | (isAdaptive ? RETRANS_EN : 0));
    register.putInt(CAPABILITIES_OFFSET, CAPABILITIES);
    if (profile != null) {
      RoceAcclLayout.write(profile, register);
    }
    return register.array();
  }

  /**
   * Sets the fields that the select bits name. The profile set last is the active one.
   *
   * @throws InvalidProfileException naming the first wrong field; then nothing has changed
   */
  public void set(byte[] register) {
    ByteBuffer words = words(register);
    int select = words.getInt(0);
    int word1 = words.getInt(4);
    if ((select & PROFILE_SELECT) != 0) {
      int id = word1 >>> ID_SHIFT & PROFILE_ID_MAX;
      checkId(id, 1);
      profiles[id] = RoceAcclLayout.read(words);
      activeId = id;
    }
    if ((select & FIELD_SELECT) != 0) {
      isAdaptive = (word1 & RETRANS_EN) != 0;
    }
  }

  private static void checkId(int id, int min) {
    if (id < min || id > PROFILE_ID_MAX) {
      throw new InvalidProfileException("adp_retx_profile_id", id, min + ".." + PROFILE_ID_MAX);
    }
  }

  private static ByteBuffer words(byte[] register) {
    if (register.length != LENGTH_BYTES) {
      throw new InvalidProfileException(
          "length of ROCE_ACCL", register.length, "only " + LENGTH_BYTES + " bytes");
    }
    return ByteBuffer.wrap(register);
  }

  /** Returns the id of the profile for new connections: 0 until one was set. */
  public int activeId() {
    return activeId;
  }

  /** Returns the profile for new connections. */
  public AdpProfile activeProfile() {
    return profiles[activeId];
  }

  /** Returns the selection for new connections. */
  public AdpSelection selection() {
    return new AdpSelection(activeProfile(), isAdaptive);
  }

  /**
   * Returns the parameters for new connections: {@code others} with this register's
   * roce_adp_retrans_en.
   *
   * @throws InvalidProfileException if adaptation is off and the ack_timeout of {@code others} is 0
   */
  public AdpParameters parameters(AdpParameters others) {
    return others.withAdaptive(isAdaptive);
  }

  /** Returns roce_adp_retrans_en: false means a fixed timer of ack_timeout. */
  public boolean isAdaptive() {
    return isAdaptive;
  }
}

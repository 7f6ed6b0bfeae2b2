package io.rtransport.core.adp;

import io.rtransport.core.fuzz.FuzzInput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Sets of the ROCE_ACCL register against what its layout says, bit by bit: which are taken, what a
 * query shows afterwards, that a refused one changes nothing, and that a profile survives register
 * and hexadecimal digits.
 */
public final class AdpRegisterFuzz {
  private final RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
  private final byte[][] profiles = new byte[8][];
  private boolean isAdaptive = true;
  private int activeId;

  private AdpRegisterFuzz() {}

  /** Registers of 64 bytes one behind the other, the last perhaps shorter. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    AdpRegisterFuzz fuzz = new AdpRegisterFuzz();
    for (int i = 0; i < 16 && input.hasMore(); i++) {
      fuzz.set(input.bytes(RoceAcclRegister.LENGTH_BYTES));
      fuzz.check();
    }
  }

  private void set(byte[] dump) {
    boolean isRefused = false;
    try {
      register.set(dump);
    } catch (InvalidProfileException e) {
      isRefused = true;
    }
    boolean isWhole = dump.length == RoceAcclRegister.LENGTH_BYTES;
    ByteBuffer words = ByteBuffer.wrap(Arrays.copyOf(dump, RoceAcclRegister.LENGTH_BYTES));
    boolean hasProfile = bits(words.getInt(0), 28, 28) == 1;
    int id = bits(words.getInt(4), 30, 28);
    boolean isRight = isWhole && (!hasProfile || id != 0 && isProfile(words));
    require(isRefused != isRight, "refused=" + isRefused);
    if (isRight && hasProfile) {
      profiles[id] = canonical(words);
      activeId = id;
      AdpSelection selection = RoceAcclRegister.decode(dump);
      boolean isOff = bits(words.getInt(0), 0, 0) == 1 && bits(words.getInt(4), 0, 0) == 0;
      require(selection.isAdaptive() != isOff, "enabled");
      byte[] again = RoceAcclRegister.encode(selection, id);
      require(RoceAcclRegister.decode(again).equals(selection), "encoded");
      String file = AdpProfileJson.write(selection);
      require(AdpProfileText.parse(file).equals(selection), "written");
      String hex = HexFormat.of().formatHex(dump);
      require(AdpProfileText.parse(hex).equals(selection), "hex");
    }
    if (isRight && bits(words.getInt(0), 0, 0) == 1) {
      isAdaptive = bits(words.getInt(4), 0, 0) == 1;
    }
  }

  private void check() {
    require(register.activeId() == activeId && register.isAdaptive() == isAdaptive, "active");
    for (int id = 1; id < profiles.length; id++) {
      ByteBuffer shown = ByteBuffer.wrap(register.query(id));
      boolean isSet = profiles[id] != null;
      require(bits(shown.getInt(0), 28, 28) == (isSet ? 1 : 0), "select of " + id);
      require(shown.getInt(4) == (id << 28 | (isAdaptive ? 1 : 0)), "word 1 of " + id);
      byte[] profile = Arrays.copyOfRange(shown.array(), 16, 64);
      require(Arrays.equals(profile, isSet ? profiles[id] : new byte[48]), "profile " + id);
    }
  }

  private static boolean isProfile(ByteBuffer words) {
    int word0 = words.getInt(16);
    int word1 = words.getInt(20);
    int count = bits(word0, 30, 28);
    int base = bits(word0, 15, 0);
    boolean isRight =
        count >= 1
            && count <= 4
            && bits(word0, 26, 24) < count
            && bits(word0, 23, 22) == 1
            && base >= 4
            && base <= 32_768
            && (base & (base - 1)) == 0
            && bits(word1, 7, 0) >= 1;
    for (int i = 0; isRight && i < count; i++) {
      int range = words.getInt(24 + 4 * i);
      int low = bits(range, 15, 8);
      isRight =
          bits(range, 30, 28) <= Math.max(0, i - 1)
              && bits(range, 27, 26) <= 2
              && bits(range, 25, 16) >= 1
              && (i == 0 || low > bits(words.getInt(20 + 4 * i), 15, 8));
    }
    return isRight;
  }

  /** What a query must show: reserved bits and ranges that are not used are 0. */
  private static byte[] canonical(ByteBuffer words) {
    ByteBuffer shown = ByteBuffer.allocate(48);
    shown.putInt(0, words.getInt(16) & 0xF7C0_FFFF).putInt(4, words.getInt(20) & 0xFF00_FFFF);
    for (int i = 0; i < bits(words.getInt(16), 30, 28); i++) {
      shown.putInt(8 + 4 * i, words.getInt(24 + 4 * i) & 0x7FFF_FFFF);
    }
    return shown.array();
  }

  private static int bits(int word, int high, int low) {
    return (int) ((word & 0xFFFF_FFFFL) >> low & (1L << high - low + 1) - 1);
  }

  private static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }
}

package io.rtransport.core.adp;

import java.nio.ByteBuffer;

/**
 * Layout of a profile in the 48 bytes 10h..3Fh of the register, as big-endian 32-bit words
 * (ROCE_ACCL layout, adaptive retransmission profile and timeout range). The first 24 bytes hold
 * it; the other 24 are reserved.
 *
 * <pre>
 *  word  bits
 *  0     31 qp_total, 30..28 range_num, 26..24 start_range, 23..22 time_unit, 15..0 time_base
 *  1     31..24 retx_total_timeout, 15..8 init_low_bound, 7..0 init_range_size
 *  2+i   30..28 prev_range, 27..26 dec_mode, 25..16 timeout_retry_num, 15..8 range_low_bound,
 *        7..0 range_size
 * </pre>
 */
final class RoceAcclLayout {
  static final int PROFILE_OFFSET = 0x10;
  static final int PROFILE_LENGTH_BYTES = 48;
  private static final int RANGES_OFFSET = PROFILE_OFFSET + 8;

  private RoceAcclLayout() {}

  static void write(AdpProfile profile, ByteBuffer register) {
    int word0 =
        bits(profile.qpTotalTimeout() ? 1 : 0, 31)
            | bits(profile.rangeCount(), 28)
            | bits(profile.startRangeIndex(), 24)
            | bits(AdpProfile.TIME_UNIT_MICROSECONDS, 22)
            | profile.timeBaseMicros();
    int word1 =
        bits(profile.retxTotalTimeout(), 24)
            | bits(profile.initLowBound(), 8)
            | profile.initRangeSize();
    register.putInt(PROFILE_OFFSET, word0).putInt(PROFILE_OFFSET + 4, word1);
    for (int i = 0; i < profile.rangeCount(); i++) {
      AdpRange range = profile.range(i);
      int word =
          bits(range.prevRangeIndex(), 28)
              | bits(range.decMode().code(), 26)
              | bits(range.retryNum(), 16)
              | bits(range.lowBound(), 8)
              | range.size();
      register.putInt(RANGES_OFFSET + 4 * i, word);
    }
  }

  private static int bits(int value, int shift) {
    return value << shift;
  }

  /** Reads and checks a profile. Ranges beyond range_num and all reserved bits are ignored. */
  static AdpProfile read(ByteBuffer register) {
    int word0 = register.getInt(PROFILE_OFFSET);
    int word1 = register.getInt(PROFILE_OFFSET + 4);
    int rangeCount = field(word0, 30, 28);
    ProfileFields.check("range_num", "ranges", rangeCount, 1, AdpProfile.RANGE_COUNT_MAX);
    AdpProfile.Builder builder =
        AdpProfile.builder()
            .qpTotalTimeout(field(word0, 31, 31) == 1)
            .startRangeIndex(field(word0, 26, 24))
            .timeUnit(field(word0, 23, 22))
            .timeBaseMicros(field(word0, 15, 0))
            .retxTotalTimeout(field(word1, 31, 24))
            .initLowBound(field(word1, 15, 8))
            .initRangeSize(field(word1, 7, 0));
    for (int i = 0; i < rangeCount; i++) {
      builder.range(readRange(register.getInt(RANGES_OFFSET + 4 * i), i));
    }
    return builder.build();
  }

  private static AdpRange readRange(int word, int index) {
    int decCode = field(word, 27, 26);
    DecMode decMode = DecMode.ofCode(decCode);
    if (decMode == null) {
      throw ProfileFields.refused(
          ProfileFields.registerName(index, "dec_mode"),
          ProfileFields.fileName(index, "decMode"),
          decCode,
          ProfileFields.decModes());
    }
    return new AdpRange(
        field(word, 15, 8), field(word, 7, 0), field(word, 25, 16), decMode, field(word, 30, 28));
  }

  static int field(int word, int high, int low) {
    return word >>> low & (1 << high - low + 1) - 1;
  }
}

package io.rtransport.core.window;

/**
 * A source for tests of what is below it: it has records, one in each packet, and says nothing
 * else.
 */
public interface RecordsAlone extends RecordSource {
  @Override
  default int pulledRecordCount() {
    return 1;
  }

  @Override
  default int completedRsnHint() {
    return 0;
  }

  @Override
  default long creditLimitBytes() {
    return 0;
  }

  @Override
  default void onAcknowledged(AcknowledgementView view, long nowNs) {}
}

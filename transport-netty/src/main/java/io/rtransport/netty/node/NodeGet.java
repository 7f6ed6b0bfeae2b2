package io.rtransport.netty.node;

import io.rtransport.netty.RtPullRequest;

/** What another node wants to get. The first answer counts; it may be given on any thread. */
public final class NodeGet {
  private final String from;
  private final byte[] header;
  private final RtPullRequest request;

  NodeGet(String from, byte[] header, RtPullRequest request) {
    this.from = from;
    this.header = header;
    this.request = request;
  }

  /** Returns the name of its origin, as that has told it; not proved. */
  public String from() {
    return from;
  }

  /** Returns the application's header, which says what is wanted; the array is the caller's. */
  public byte[] header() {
    return header;
  }

  /** Returns the length of the longest answer that is wanted, bytes. */
  public long lengthBytesMax() {
    return request.lengthBytesMax();
  }

  /**
   * Answers.
   *
   * @param payload at most {@link #lengthBytesMax} bytes; not copied
   * @return false if it was answered before
   */
  public boolean reply(byte[] payload) {
    return request.respond(payload);
  }

  /**
   * Says that there is no answer.
   *
   * @param code of the application, 0..2,147,483,391
   * @param text for people; at most 256 bytes of UTF-8 arrive
   * @return false if it was answered before
   */
  public boolean fail(int code, String text) {
    return request.fail(NodePut.checked(code), text);
  }
}

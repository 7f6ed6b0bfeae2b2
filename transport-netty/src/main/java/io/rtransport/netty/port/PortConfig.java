package io.rtransport.netty.port;

/**
 * What a port's socket is set to.
 *
 * @param datagramLengthBytesMax the longest packet that will be received
 * @param isWhole whether what it sends leaves in one piece or not at all, as path MTU discovery
 *     needs it; where the system can
 * @param receiveBufferBytes SO_RCVBUF, or 0 for the system's
 * @param sendBufferBytes SO_SNDBUF, or 0 for the system's
 * @param trafficClass IP_TOS, 0..255
 * @param reuseAddress SO_REUSEADDR
 * @param offload whether GSO and GRO are used where the socket has them
 * @param sharesPort SO_REUSEPORT: whether it joins ports that are bound to the same address
 *     already, and get a part of what comes
 */
public record PortConfig(
    int datagramLengthBytesMax,
    boolean isWhole,
    int receiveBufferBytes,
    int sendBufferBytes,
    int trafficClass,
    boolean reuseAddress,
    boolean offload,
    boolean sharesPort) {
  /** The same for a port that joins others. */
  public PortConfig sharing() {
    return new PortConfig(
        datagramLengthBytesMax,
        isWhole,
        receiveBufferBytes,
        sendBufferBytes,
        trafficClass,
        reuseAddress,
        offload,
        true);
  }
}

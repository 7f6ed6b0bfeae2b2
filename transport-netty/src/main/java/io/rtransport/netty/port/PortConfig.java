package io.rtransport.netty.port;

/**
 * Settings of a port's socket.
 *
 * @param datagramLengthBytesMax length of the longest packet that will be received
 * @param isWhole whether datagrams leave in one piece or not at all, as path MTU discovery needs
 *     it; only if the system can do it
 * @param receiveBufferBytes SO_RCVBUF; 0 stands for the system's default
 * @param sendBufferBytes SO_SNDBUF; 0 stands for the system's default
 * @param trafficClass IP_TOS, 0..255
 * @param reuseAddress SO_REUSEADDR
 * @param offload whether GSO and GRO are used if the socket has them
 * @param sharesPort SO_REUSEPORT: whether it joins ports that are already bound to the same address
 *     and get a part of the incoming datagrams
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
  /** Returns the same settings for a port that joins others. */
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

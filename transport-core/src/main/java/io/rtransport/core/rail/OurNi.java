package io.rtransport.core.rail;

import java.net.InetAddress;

/**
 * One of our interfaces as the node's health knows it.
 *
 * @param network its network; empty for none
 * @param address its address; null if it is not known
 * @param isFailed whether it has failed hard
 * @param isUsed whether an open path leaves by it
 */
public record OurNi(String network, InetAddress address, boolean isFailed, boolean isUsed) {}

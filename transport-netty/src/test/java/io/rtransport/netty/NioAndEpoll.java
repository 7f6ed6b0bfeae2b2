package io.rtransport.netty;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * For tests of what stands above the sockets: io_uring runs those of the sockets, or all would take
 * half as long again.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@EnumSource(value = TransportKind.class, mode = EnumSource.Mode.EXCLUDE, names = "IO_URING")
@interface NioAndEpoll {}

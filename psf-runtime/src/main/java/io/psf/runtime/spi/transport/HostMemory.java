package io.psf.runtime.spi.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Allocates host memory that a device copies from and to directly. Thread-safe. */
@FunctionalInterface
public interface HostMemory {
    /**
     * Allocates a buffer, which may be a part of a longer one. Its content is undefined. The memory is freed when the
     * buffer and its views are unreachable. The JVM's limit of direct memory does not count it: an implementation
     * bounds the bytes that are not freed yet.
     *
     * @param bytes the capacity and the limit of the buffer
     * @return null if there is no such memory; then ordinary direct memory is used
     */
    @Nullable
    ByteBuffer allocate(int bytes);
}

package io.psf.api.spi;

/**
 * The memory that the tensors of a node have, on the host.
 *
 * @param bytes the allocated bytes; the bytes of dropped tensors count until a garbage collection
 * @param most the most bytes that they may have; {@link Long#MAX_VALUE} if there is no limit
 */
public record MemoryUse(long bytes, long most) {}

package io.psf.api.spi;

/**
 * The memory that the tensors of a node have, on the host.
 *
 * @param bytes the bytes that are allocated, those of dropped tensors until a garbage collection included
 * @param most the most bytes that they may have; {@link Long#MAX_VALUE} if there is no limit
 */
public record MemoryUse(long bytes, long most) {}

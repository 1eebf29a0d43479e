package io.psf.api;

/**
 * Implemented by an attachment of a shard that takes much memory: its bytes count among the shard's bytes ({@link
 * ShardBytes#attachments}), which {@code Tensors.list} returns and the limit of a table's policy includes.
 */
public interface Measured {
    /** Returns the bytes of memory that the attachment takes now. Called on the shard's lane, often. */
    long bytes();
}

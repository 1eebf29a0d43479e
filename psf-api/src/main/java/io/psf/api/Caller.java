package io.psf.api;

/**
 * The caller of functions, of which a stub is made: {@code XPsf.stub(caller)}. A worker, a chain, a shard's or a node's
 * {@code caller()} and the test kit's cluster are callers; users implement none. A stub finds the method that makes its
 * calls in {@link io.psf.api.spi.FunctionCaller}, which every caller implements.
 */
public interface Caller {}

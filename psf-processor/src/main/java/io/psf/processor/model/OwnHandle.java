package io.psf.processor.model;

import java.util.Optional;

/**
 * The {@code handle} of a handler that does not implement the function's interface.
 *
 * @param shard the kind of shard that it takes; empty for every kind
 * @param later true if it returns a stage of the response
 */
public record OwnHandle(Optional<ClassRef> shard, boolean later) {}

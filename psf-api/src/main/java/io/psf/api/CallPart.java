package io.psf.api;

import org.jspecify.annotations.Nullable;

/**
 * The part of a call that an event is about: what is sent to one slice or node, or the whole call.
 *
 * @param function the name of the function; for a chain, the name of its first call's function
 * @param tensor the tensor whose shard the part runs on; null if it runs on a node
 * @param slice the number of the slice; -1 if the part runs on a node, and for a whole call
 * @param worker the rank of the worker that makes the call; negative for other callers, as in {@link CallInfo#worker}
 * @param call the call's number, unique per worker and per client: with the cluster's identity ({@link
 *     NodeInfo#cluster}) and the worker, it names the call on both sides
 */
public record CallPart(String function, @Nullable TensorId tensor, int slice, int worker, long call) {}

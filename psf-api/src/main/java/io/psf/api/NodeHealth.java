package io.psf.api;

/**
 * Whether a node works, as those see it that watch it: a probe of a container platform, or a person.
 *
 * @param isLive true if the node makes progress. One that does not is worth a restart
 * @param liveness a sentence that says why
 * @param isReady true if the node does its part in the cluster
 * @param readiness a sentence that says why
 */
public record NodeHealth(boolean isLive, String liveness, boolean isReady, String readiness) {}

package io.psf.runtime.internal.server.node;

import io.psf.api.spi.KeptAnswers;

/** Finds the answers that a node's sessions keep. */
@FunctionalInterface
public interface KeptAnswersOf {
    /**
     * Returns the answers of calls on a slice.
     *
     * @param tensor the number of the tensor's name
     */
    KeptAnswers find(int tensor, int slice);
}

package io.psf.builtin;

import java.time.Instant;

/**
 * The newest saved step of a model, as {@link ModelCheckpoints#newest} returns it.
 *
 * @param model the model's name
 * @param step the number of the step
 * @param saved when it was complete, by the clock of the file system
 */
public record SavedStep(String model, long step, Instant saved) {}

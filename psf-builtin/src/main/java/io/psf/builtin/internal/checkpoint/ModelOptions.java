package io.psf.builtin.internal.checkpoint;

import io.psf.api.TensorId;
import java.util.List;

/**
 * The options of a caller for the checkpoints of a model.
 *
 * @param kept the number of complete steps that a save leaves, at least 1
 * @param increments the most increments that follow an image with all rows; 0 for none
 * @param tensors the tensors to save and load; empty for all
 * @param reduced those of them whose weights the workers have
 * @param isRestored true if the slices of a lost server are loaded from these checkpoints
 * @param isExact true if all slices go back to one then; false if the lost ones alone do
 */
public record ModelOptions(
        int kept,
        int increments,
        List<TensorId> tensors,
        List<TensorId> reduced,
        boolean isRestored,
        boolean isExact) {}

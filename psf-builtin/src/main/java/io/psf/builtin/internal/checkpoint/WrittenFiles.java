package io.psf.builtin.internal.checkpoint;

import java.util.List;

/**
 * The part of a save that one server has written.
 *
 * @param index the index of its images
 * @param bytes the bytes of the images, without the images that they build on
 * @param increments the number of images that have changes alone
 * @param tensors the tensors that it holds slices of
 */
public record WrittenFiles(SavedIndex index, long bytes, int increments, List<SavedTensor> tensors) {}

package io.psf.builtin.internal.checkpoint;

/**
 * The index of the images that one server has saved of a model.
 *
 * @param file the file, relative to the folder of the model
 * @param bytes the file's length in bytes
 * @param checksum the CRC32C of the file
 */
public record SavedIndex(String file, long bytes, int checksum) {}

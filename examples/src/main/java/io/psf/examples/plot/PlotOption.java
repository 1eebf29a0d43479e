package io.psf.examples.plot;

import io.psf.api.PsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file of a training's picture. */
public final class PlotOption {
    private PlotOption() {}

    /**
     * Checks that the picture can be written, before the training.
     *
     * @throws PsException with {@code CONFIGURATION} if its folder does not exist or cannot be written
     */
    public static void check(Path file) {
        Path folder = file.toAbsolutePath().resolveSibling(".").normalize();
        if (!Files.isDirectory(folder) || !Files.isWritable(folder) || Files.isDirectory(file)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--plot: " + file + " (expected: a file in a folder that exists and can be written)");
        }
    }

    /** Returns the line that says where the picture is. */
    public static String line(Path file) {
        return "plot: " + file.toAbsolutePath().normalize();
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * The files that a step consists of.
 *
 * @param folder the folder of the model
 * @param manifest the manifest of the step
 * @param lengths the length of each file, by its name in that folder
 */
record StepFiles(Folder folder, ModelManifest manifest, Map<String, Long> lengths) {
    Set<String> names() {
        return lengths.keySet();
    }

    /**
     * Checks that all files exist and have their lengths. Does not read their content.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if one is missing or differs
     */
    void requireThere() {
        lengths.forEach((name, length) -> {
            try {
                long found = folder.entry(name).bytes();
                if (found != length) {
                    throw new PsException(
                            PsException.Code.STORAGE,
                            folder.place(name) + ": " + found + " bytes (expected: " + length + ")");
                }
            } catch (IOException e) {
                throw folder.unreadable(name, e);
            }
        });
    }
}

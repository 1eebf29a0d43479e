package io.psf.processor;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.read.Evolution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.annotation.processing.Messager;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/**
 * The schemas committed beside the source, one file a function with one line a version: what peers of those versions
 * know. A function without a file gets one.
 */
final class Schemas {
    /** The folder of the files; without it nothing is compared. */
    static final String FOLDER = "psf.schemas";
    /** Whether the files are rewritten. */
    static final String UPDATE = "psf.schemas.update";

    private final @Nullable Path folder;
    private final boolean update;
    private final Evolution evolution;
    private final Messager messager;

    Schemas(Map<String, String> options, Evolution evolution, Messager messager) {
        String where = options.get(FOLDER);
        this.folder = where == null || where.isBlank() ? null : Path.of(where);
        this.update = Boolean.parseBoolean(options.get(UPDATE));
        this.evolution = evolution;
        this.messager = messager;
    }

    /** Compares a function with its file, or writes it. */
    void check(TypeElement type, FunctionModel model) {
        if (folder == null) {
            return;
        }
        Path file = folder.resolve(model.name() + ".schema");
        try {
            List<String> now = model.schemas();
            List<String> committed = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (now.equals(committed)) {
                return;
            } else if (!update && !committed.isEmpty()) {
                evolution.check(type, model, committed, String.valueOf(file.getFileName()));
                return;
            }
            Files.createDirectories(folder);
            Files.writeString(file, String.join("\n", now) + "\n");
        } catch (IOException e) {
            messager.printMessage(Diagnostic.Kind.ERROR, "schema file " + file + ": " + e, type);
        }
    }
}

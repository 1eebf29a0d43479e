package io.psf.processor;

import io.psf.processor.emit.Emitter;
import io.psf.processor.emit.PythonEmitter;
import io.psf.processor.emit.Source;
import io.psf.processor.model.FunctionModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.annotation.processing.Messager;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/** Writes the typed functions of Python to the folder that an option names; without the option, nothing. */
final class PythonOutput {
    /** The option for the folder. */
    static final String FOLDER = "psf.python";

    private final Emitter emitter = new PythonEmitter();
    private final @Nullable Path folder;
    private final Messager messager;

    PythonOutput(ProcessingEnvironment environment) {
        String where = environment.getOptions().get(FOLDER);
        this.folder = where == null || where.isBlank() ? null : Path.of(where);
        this.messager = environment.getMessager();
        if (folder == null && environment.getOptions().containsKey(FOLDER)) {
            messager.printMessage(
                    Diagnostic.Kind.ERROR,
                    "-A" + FOLDER + ": empty (expected: the folder of Python's typed functions)");
        }
    }

    /** Writes the module of a function without problems. */
    void function(TypeElement type, FunctionModel model) {
        if (folder == null) {
            return;
        }
        try {
            emitter.function(model, source -> write(folder, source));
        } catch (UncheckedIOException e) {
            messager.printMessage(Diagnostic.Kind.ERROR, "Python of " + model.name() + ": " + e.getCause(), type);
        }
    }

    private static void write(Path folder, Source source) {
        try {
            Path file = folder.resolve(source.name());
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

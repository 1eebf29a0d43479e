package io.psf.processor;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.read.Evolution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.annotation.processing.Messager;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import org.jspecify.annotations.Nullable;

/**
 * The schemas committed beside the source, one file a function with one line a version: what peers of those versions
 * know. A function without a file gets one. The file of a former name counts for a function that was renamed, and takes
 * the new name when the files are rewritten.
 *
 * <p>A file tells the source that declared its function. The function is gone if that source is no more, or is compiled
 * now and does not declare it; a source that stands there and is not compiled, such as that of a test or of another
 * module, or in an incremental compilation, says nothing.
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
    private final Sources sources;
    /** The functions that this compilation declares, by name. */
    private final Map<String, TypeElement> declared = new HashMap<>();

    Schemas(ProcessingEnvironment environment, Evolution evolution) {
        String where = environment.getOptions().get(FOLDER);
        this.folder = where == null || where.isBlank() ? null : Path.of(where);
        this.update = Boolean.parseBoolean(environment.getOptions().get(UPDATE));
        this.evolution = evolution;
        this.messager = environment.getMessager();
        this.sources = new Sources(environment);
        boolean isGiven = environment.getOptions().containsKey(FOLDER);
        if (folder == null && (isGiven || update)) {
            messager.printMessage(
                    Diagnostic.Kind.ERROR,
                    "-A" + FOLDER + ": " + (isGiven ? "empty" : "not given")
                            + " (expected: the folder of the committed schemas, or neither it nor -A" + UPDATE + ")");
        }
    }

    /** Takes note of what a round compiles. */
    void compiles(Set<? extends Element> roots) {
        if (folder != null) {
            sources.add(roots);
        }
    }

    /** Takes note of a function that is there, sound or not, under all of its names. */
    void declares(TypeElement type, FunctionModel model) {
        model.formerly().forEach(former -> declared.putIfAbsent(former, type));
        declared.put(model.name(), type);
    }

    /** Compares a function with its file, or writes it. */
    void check(TypeElement type, FunctionModel model) {
        if (folder == null) {
            return;
        }
        try {
            SchemaFile file = SchemaFile.of(folder, model.name());
            List<SchemaFile> former = former(model);
            boolean isRenamed = file.versions().isEmpty() && !former.isEmpty();
            SchemaFile known = isRenamed ? former.get(0) : file;
            List<String> committed = known.versionsOf(model.name());
            if (!update && !committed.isEmpty() && !committed.equals(model.schemas())) {
                evolution.check(type, model, committed, known.name());
                return;
            } else if (!update && isRenamed) {
                return; // the file keeps the name that it was committed under
            }
            SchemaFile now = file.with(model.schemas()).declaredIn(sources.of(type));
            if (!now.equals(file)) {
                now.write();
            }
            if (update) {
                for (SchemaFile each : former) {
                    Files.delete(each.path());
                }
            }
        } catch (IOException e) {
            messager.printMessage(Diagnostic.Kind.ERROR, "schema file of " + model.name() + ": " + e, type);
        }
    }

    /** The files of the names that a function had before. */
    private List<SchemaFile> former(FunctionModel model) throws IOException {
        List<SchemaFile> files = new ArrayList<>();
        for (String name : model.formerly()) {
            SchemaFile file = SchemaFile.of(Objects.requireNonNull(folder), name);
            if (!file.versions().isEmpty()) {
                files.add(file);
            }
        }
        return files;
    }

    /** Tells of the functions that are gone, after all have been read. */
    void checkGone() {
        if (folder == null) {
            return;
        }
        try {
            for (SchemaFile file : SchemaFile.in(folder)) {
                Path source = file.sourcePath();
                boolean there = declared.containsKey(file.function())
                        || source == null
                        || (Files.exists(source) && !sources.contains(source));
                if (!there && update) {
                    Files.delete(file.path());
                } else if (!there) {
                    evolution.gone(inPlaceOf(source), file.function(), String.valueOf(file.source()), file.name());
                }
            }
        } catch (IOException e) {
            messager.printMessage(Diagnostic.Kind.ERROR, "schema files in " + folder + ": " + e);
        }
    }

    /** A function that the source declares now. */
    private @Nullable TypeElement inPlaceOf(@Nullable Path source) {
        return declared.values().stream()
                .filter(type -> source != null && source.equals(sources.of(type)))
                .findFirst()
                .orElse(null);
    }
}

package io.psf.processor.schema;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.read.Problems;
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
 * The schemas committed beside the source, which define what peers of each version know. Each function has one file,
 * with one line per version. A file is created for a function that has none. For a renamed function, the file of a
 * former name is used, and is replaced by a file of the new name when the files are rewritten.
 *
 * <p>A file names the source that declared its function. The function counts as removed if that source no longer
 * exists, or if this compilation has the source and the source does not declare the function. A source that exists but
 * is not compiled is no evidence; examples are the source of a test, of another module, or an unchanged source in an
 * incremental compilation.
 */
public final class Schemas {
    /** The option for the folder of the files; without it no schemas are compared. */
    public static final String FOLDER = "psf.schemas";
    /** The option that is true if the files are to be rewritten. */
    public static final String UPDATE = "psf.schemas.update";

    private final @Nullable Path folder;
    private final boolean update;
    private final Evolution evolution;
    private final Messager messager;
    private final Sources sources;
    /** The functions that this compilation declares, by name. */
    private final Map<String, TypeElement> declared = new HashMap<>();

    /**
     * Creates the comparison of one compilation.
     *
     * @param environment has the options
     * @param problems receives what is incompatible
     */
    public Schemas(ProcessingEnvironment environment, Problems problems) {
        String where = environment.getOptions().get(FOLDER);
        this.folder = where == null || where.isBlank() ? null : Path.of(where);
        this.update = Boolean.parseBoolean(environment.getOptions().get(UPDATE));
        this.evolution = new Evolution(problems);
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

    /** Records the sources that a round compiles. */
    public void compiles(Set<? extends Element> roots) {
        if (folder != null) {
            sources.add(roots);
        }
    }

    /** Records a declared function, valid or not, under its current and its former names. */
    public void declares(TypeElement type, FunctionModel model) {
        model.formerly().forEach(former -> declared.putIfAbsent(former, type));
        declared.put(model.name(), type);
    }

    /** Compares a function with its file, or writes the file. */
    public void check(TypeElement type, FunctionModel model) {
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
                return; // the file retains the name under which it was committed
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

    /** Returns the existing files of a function's former names. */
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

    /** Reports the removed functions, or deletes their files on update. Called after all functions have been read. */
    public void checkGone() {
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

    /** Returns a function that the source declares now; null if there is none. */
    private @Nullable TypeElement inPlaceOf(@Nullable Path source) {
        return declared.values().stream()
                .filter(type -> source != null && source.equals(sources.of(type)))
                .findFirst()
                .orElse(null);
    }
}

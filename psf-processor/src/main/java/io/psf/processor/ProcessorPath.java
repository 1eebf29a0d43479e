package io.psf.processor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.processing.Messager;
import javax.tools.Diagnostic;

/** Checks that the processor's own dependencies are on the processor path, before a class of theirs is used. */
final class ProcessorPath {
    static final String ID = "PsfProcessorPath";

    private static final Map<String, String> NEEDED = new LinkedHashMap<>();

    static {
        NEEDED.put("io.psf.api.PsFunction", "io.psf:psf-api");
        NEEDED.put("com.palantir.javapoet.JavaFile", "com.palantir.javapoet:javapoet");
    }

    private ProcessorPath() {}

    /** Returns the artifacts that the loader does not have. */
    static List<String> missing(ClassLoader loader) {
        List<String> missing = new ArrayList<>();
        NEEDED.forEach((type, artifact) -> {
            try {
                Class.forName(type, false, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                missing.add(artifact);
            }
        });
        return missing;
    }

    /** Returns true if everything is there. Otherwise reports what is missing, as an error of the compilation. */
    static boolean isComplete(Messager messager) {
        List<String> missing = missing(ProcessorPath.class.getClassLoader());
        if (missing.isEmpty()) {
            return true;
        }
        messager.printMessage(
                Diagnostic.Kind.ERROR,
                "[" + ID + "] processor path: without " + String.join(" and ", missing)
                        + " (expected: psf-processor with its dependencies, as Maven's annotationProcessorPaths and"
                        + " Gradle's annotationProcessor bring them)");
        return false;
    }
}

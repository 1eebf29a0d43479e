package io.psf.processor;

import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import org.jspecify.annotations.Nullable;

/** The files that are compiled, as far as the compiler tells: javac does, others may not. */
final class Sources {
    private final @Nullable Trees trees;
    private final Set<Path> compiled = new HashSet<>();

    Sources(ProcessingEnvironment environment) {
        trees = trees(environment);
    }

    private static @Nullable Trees trees(ProcessingEnvironment environment) {
        try {
            return Trees.instance(environment);
        } catch (IllegalArgumentException | LinkageError e) {
            return null; // another compiler
        }
    }

    /** Takes note of the files of a round. */
    void add(Set<? extends Element> roots) {
        for (Element root : roots) {
            Path path = of(root);
            if (path != null) {
                compiled.add(path);
            }
        }
    }

    /** Whether this compilation has the file. */
    boolean contains(Path file) {
        return compiled.contains(file);
    }

    /** The file in which an element is declared; null if it is not known. */
    @Nullable
    Path of(Element element) {
        TreePath path = trees == null ? null : trees.getPath(element);
        if (path == null) {
            return null;
        }
        URI uri = path.getCompilationUnit().getSourceFile().toUri();
        return "file".equals(uri.getScheme()) ? Path.of(uri).toAbsolutePath().normalize() : null;
    }
}

package io.psf.processor.schema;

import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.processing.ProcessingEnvironment;
import javax.lang.model.element.Element;
import org.jspecify.annotations.Nullable;

/** The files that are compiled, if the compiler provides them: javac does, other compilers may not. */
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
            return null; // the compiler is not javac
        }
    }

    /** Records the files of a round. */
    void add(Set<? extends Element> roots) {
        for (Element root : roots) {
            Path path = of(root);
            if (path != null) {
                compiled.add(path);
            }
        }
    }

    /** True if this compilation has the file. */
    boolean contains(Path file) {
        return compiled.contains(file);
    }

    /** Returns the file in which an element is declared; null if not known. */
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

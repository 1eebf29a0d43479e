package io.psf.processor;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.Compiler;
import com.google.testing.compile.JavaFileObjects;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ForwardingJavaFileObject;
import javax.tools.JavaFileObject;

/** The sources below {@code src/test/resources}, and how they are compiled. */
final class Fixtures {
    private static final Path ROOT = Path.of("src", "test", "resources");

    private Fixtures() {}

    static List<Path> in(String folder) {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path file(String folder, String name) {
        return ROOT.resolve(folder).resolve(name);
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JavaFileObject source(Path file) {
        String folder = String.valueOf(file.getName(file.getNameCount() - 2));
        String name = String.valueOf(file.getFileName()).replace(".java", "");
        return at(file, folder + "." + name, text(file));
    }

    /** A source that the compiler takes to be in a file. */
    static JavaFileObject at(Path file, String name, String text) {
        JavaFileObject source = JavaFileObjects.forSourceString(name, text);
        return new ForwardingJavaFileObject<>(source) {
            @Override
            public URI toUri() {
                return file.toUri();
            }
        };
    }

    /** The fixtures of a folder, compiled. */
    static Compilation compiled(String folder) {
        return compile(in(folder).stream().map(Fixtures::source).toArray(JavaFileObject[]::new));
    }

    /** The fixtures that are right, compiled once for all tests of a JVM. */
    static Compilation good() {
        return Good.COMPILED;
    }

    private static final class Good {
        static final Compilation COMPILED = compiled("good");
    }

    /** The classes of compilations that succeeded. */
    static ClassLoader load(Compilation... compilations) {
        Map<String, byte[]> classes = new HashMap<>();
        for (JavaFileObject file : Stream.of(compilations)
                .flatMap(each -> each.generatedFiles().stream())
                .toList()) {
            if (file.getKind() == JavaFileObject.Kind.CLASS) {
                String path = file.getName().replaceFirst("^/CLASS_OUTPUT/", "").replaceFirst("\\.class$", "");
                try (InputStream in = file.openInputStream()) {
                    classes.put(path.replace('/', '.'), in.readAllBytes());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return new ClassLoader(Fixtures.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] bytes = classes.get(name);
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
    }

    /** The schemas that were committed before for a fixture; there may be none. */
    static Path schemas(Path fixture) {
        return ROOT.resolve("schemas")
                .resolve(String.valueOf(fixture.getFileName()).replace(".java", ""));
    }

    /** Compiles beside schemas that were committed before. */
    static Compilation compileWith(Path schemas, boolean update, JavaFileObject... sources) {
        return compile(List.of("-Apsf.schemas=" + schemas, "-Apsf.schemas.update=" + update), sources);
    }

    /** All that javac may say counts as an error, and an error in one class does not hide those in others. */
    static Compilation compile(JavaFileObject... sources) {
        return compile(List.of(), sources);
    }

    /** Compiles with more options. */
    static Compilation compile(List<String> more, JavaFileObject... sources) {
        List<String> options = new ArrayList<>(
                List.of("-Xlint:all,-processing,-options", "--should-stop=ifError=FLOW", "--release", "17"));
        options.addAll(more);
        return Compiler.javac()
                .withProcessors(new PsfProcessor(), new NamedProcessor(), new ServicesProcessor())
                .withOptions(options)
                .compile(sources);
    }
}

package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles users' sources as their build would, with psf's processor. */
final class Sources {
    private Sources() {}

    /** Compiles every source below a folder; whatever javac has to say is a failure. */
    static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler javac = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
        Files.createDirectories(classes);
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.walk(sources)) {
            List<Path> java =
                    all.filter(file -> file.toString().endsWith(".java")).toList();
            List<String> options = List.of(
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-Xlint:all,-processing,-options,-path,-classfile",
                    "-Werror",
                    "-processor",
                    "io.psf.processor.PsfProcessor,io.psf.processor.ServicesProcessor",
                    "--release",
                    "17");
            JavaCompiler.CompilationTask task =
                    javac.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(java));
            assertThat(task.call()).as(said.toString()).isTrue();
        }
    }

    /** Packs classes into a jar. */
    static void jar(Path classes, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> all = Files.walk(classes)) {
            for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
                packed.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, packed);
                packed.closeEntry();
            }
        }
    }
}

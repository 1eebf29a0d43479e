package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Does to a user's project what Maven would: compiles it with psf's processor, and packs classes into jars. */
final class Jars {
    private Jars() {}

    /** Compiles every source below a folder. */
    static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler javac = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK");
        Files.createDirectories(classes);
        StringWriter said = new StringWriter();
        String classPath = System.getProperty("java.class.path");
        try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.walk(sources)) {
            List<Path> java =
                    all.filter(file -> file.toString().endsWith(".java")).toList();
            List<String> options =
                    List.of("-d", classes + "", "-cp", classPath, "-processorpath", classPath, "--release", "17");
            assertThat(javac.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
                            .call())
                    .as("%s", said)
                    .isTrue();
        }
    }

    static void pack(Path classes, Path jar) throws IOException {
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

    /** Writes a jar into a folder that stands for the jars of a class path. */
    static void collect(String classPath, Path folder) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(classPath.split(File.pathSeparator, -1))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        Files.createDirectories(folder);
        try (OutputStream out = Files.newOutputStream(folder.resolve("all.jar"))) {
            new JarOutputStream(out, manifest).close();
        }
    }
}

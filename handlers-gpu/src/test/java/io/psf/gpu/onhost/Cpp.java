package io.psf.gpu.onhost;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Compiles kernels as C++ with this machine's compiler, together with C++ of this module's tests. The results stay in
 * the folder for build results until a source changes.
 */
public final class Cpp {
    private static final Pattern KERNEL = Pattern.compile("extern\\s+\"C\"\\s+__global__\\s+void\\s+(\\w+)\\s*\\(");

    private static final List<String> FLAGS = List.of(
            "-std=c++17",
            "-O1",
            "-fPIC",
            "-fvisibility=hidden",
            "-ffp-contract=off", // as nvcc with -fmad=false
            "-U_FORTIFY_SOURCE", // it refuses to leave a thread's stack
            "-Wall");

    private static final Object BUILDING = new Object();

    private Cpp() {}

    /** Returns the folder of the module handlers-gpu, for a test of this module or of one beside it. */
    static Path module() {
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = here; folder != null; folder = folder.getParent()) {
            for (Path each : List.of(folder, folder.resolve("handlers-gpu"))) {
                if (Files.isRegularFile(each.resolve("src/main/cuda/psf.cu"))) {
                    return each;
                }
            }
        }
        throw new IllegalStateException("folder: " + here + " (expected: one in or beside handlers-gpu)");
    }

    /** Returns the folder of the C++. */
    public static Path sources() {
        return module().resolve("src/test/cpp");
    }

    private static Optional<Path> compiler() {
        String path = System.getenv("PATH");
        return Stream.of("c++", "g++")
                .flatMap(name -> Arrays.stream((path == null ? "" : path).split(File.pathSeparator, -1))
                        .map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Skips a test, with the reason, if this machine has no compiler. */
    public static void assumeCompiler() {
        Assumptions.assumeTrue(
                compiler().isPresent(),
                "kernels on the host: not executed, since this machine has no C++ compiler (expected: c++ or g++ on"
                        + " the PATH, as the package g++ has it)");
    }

    /**
     * Builds a program or a library. There must be a {@link #assumeCompiler compiler}.
     *
     * @param file the name of the result
     * @param link flags of the linker
     * @param sources C++
     * @param kernels CUDA C
     * @param further C++ that is computed, only if the result is not there
     */
    public static Path build(
            String file, List<String> link, List<Path> sources, List<Path> kernels, Supplier<String> further) {
        try {
            return new Build(compiler().orElseThrow(), file, link).build(sources, kernels, further);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private record Build(Path compiler, String file, List<String> link) {
        Path build(List<Path> sources, List<Path> kernels, Supplier<String> further)
                throws IOException, InterruptedException {
            Path parent = Files.createDirectories(module().resolve("target/cpp"));
            Path built = parent.resolve(file + "-" + checksum(kernels)).resolve(file);
            if (Files.exists(built)) {
                return built;
            }
            synchronized (BUILDING) { // and one process: others wait, and find the result
                try (FileChannel lock = FileChannel.open(
                        parent.resolve(file + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                    lock.lock();
                    return Files.exists(built) ? built : build(parent, built, sources, kernels, further);
                }
            }
        }

        private Path build(Path parent, Path built, List<Path> sources, List<Path> kernels, Supplier<String> further)
                throws IOException, InterruptedException {
            Path folder = Files.createTempDirectory(parent, "unfinished-");
            try {
                List<Path> all = new ArrayList<>(sources);
                for (Path each : kernels) {
                    all.add(Files.writeString(folder.resolve(each.getFileName() + ".cpp"), table(each)));
                }
                all.add(Files.writeString(folder.resolve("further.cpp"), further.get()));
                compile(folder, all);
                Files.move(folder, built.getParent(), StandardCopyOption.ATOMIC_MOVE);
                return built;
            } finally {
                delete(folder);
            }
        }

        private String checksum(List<Path> kernels) throws IOException {
            try {
                MessageDigest hash = MessageDigest.getInstance("SHA-256");
                hash.update((compiler + " " + FLAGS + link + kernels).getBytes(StandardCharsets.UTF_8));
                try (Stream<Path> files = Files.walk(sources())) {
                    for (Path each : Stream.concat(
                                    files.filter(Files::isRegularFile).sorted(), kernels.stream())
                            .toList()) {
                        hash.update(Files.readAllBytes(each));
                    }
                }
                return HexFormat.of().formatHex(hash.digest(), 0, 8);
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every JDK has SHA-256", e);
            }
        }

        private void compile(Path folder, List<Path> sources) throws IOException, InterruptedException {
            List<List<String>> commands = new ArrayList<>();
            List<String> linking = new ArrayList<>(List.of(compiler.toString(), "-o", "" + folder.resolve(file)));
            for (int i = 0; i < sources.size(); i++) {
                String object = folder.resolve(i + ".o").toString();
                linking.add(object);
                List<String> command = new ArrayList<>(List.of(compiler.toString(), "-c", "-o", object));
                command.addAll(FLAGS);
                command.addAll(
                        List.of("-I", sources().toString(), sources.get(i).toString()));
                commands.add(command);
            }
            run(folder, commands);
            linking.addAll(link);
            run(folder, List.of(linking));
        }

        /** Runs commands at the same time. */
        private static void run(Path folder, List<List<String>> commands) throws IOException, InterruptedException {
            List<Process> processes = new ArrayList<>();
            for (int i = 0; i < commands.size(); i++) {
                processes.add(new ProcessBuilder(commands.get(i))
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("log" + i).toFile())
                        .start());
            }
            for (int i = 0; i < commands.size(); i++) {
                String said = processes.get(i).waitFor() == 0 ? "" : Files.readString(folder.resolve("log" + i));
                if (processes.get(i).exitValue() != 0) {
                    throw new IllegalStateException(String.join(" ", commands.get(i)) + ": " + said);
                }
            }
        }

        /** Returns C++ with the kernels of a source, in a namespace of their own, and a table of them. */
        private String table(Path source) throws IOException, InterruptedException {
            Process process = new ProcessBuilder(compiler.toString(), "-E", "-P", "-x", "c++", source.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String preprocessed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(source + ": the preprocessor failed");
            }
            String space = "of_" + source.getFileName().toString().replaceAll("\\W", "_");
            String entries = KERNEL.matcher(preprocessed)
                    .results()
                    .map(each -> "{\"" + each.group(1) + "\", kernel(" + space + "::" + each.group(1) + ")},\n")
                    .collect(Collectors.joining());
            return "#include \"host.h\"\nnamespace " + space + " {\n#include \""
                    + Matcher.quoteReplacement(source.toAbsolutePath().toString())
                    + "\"\n}\n#include \"kernels.h\"\nstatic Table all({\n" + entries + "});\n";
        }

        private static void delete(Path folder) throws IOException {
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.list(folder)) {
                    for (Path each : files.toList()) {
                        Files.delete(each);
                    }
                }
                Files.delete(folder);
            }
        }
    }
}

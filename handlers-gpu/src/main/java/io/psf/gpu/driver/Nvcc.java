package io.psf.gpu.driver;

import io.psf.api.PsException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * CUDA's compiler, if this machine has one. It is searched in {@code $CUDA_HOME/bin}, on the {@code PATH} and in {@code
 * /usr/local/cuda/bin}.
 */
public final class Nvcc {
    /** The least compute capability of psf's devices. */
    private static final String ARCHITECTURE = "compute_75";

    /** A version of PTX that the drivers of CUDA 11 and later know. The compiler writes its own, the newest. */
    private static final String PTX_VERSION = ".version 7.0";

    private Nvcc() {}

    /** Returns the compiler; empty if there is none. */
    public static Optional<Path> find() {
        List<Path> folders = new ArrayList<>();
        add(folders, System.getenv("CUDA_HOME"), "bin");
        String path = System.getenv("PATH");
        for (String folder : (path == null ? "" : path).split(File.pathSeparator, -1)) {
            add(folders, folder, "");
        }
        add(folders, "/usr/local/cuda", "bin");
        return folders.stream()
                .map(folder -> folder.resolve("nvcc"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Returns the first line of PTX that {@link #compile} makes of a source: it has the source's checksum, by which a
     * test finds PTX that is not of the source any more.
     *
     * @param source the CUDA C
     * @param name the name of the source
     */
    public static String header(String source, String name) {
        try {
            byte[] bytes = source.replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8);
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "// Compiled from " + name + ", sha256 " + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static void add(List<Path> folders, @Nullable String folder, String below) {
        if (folder != null && !folder.isBlank()) {
            folders.add(Path.of(folder, below));
        }
    }

    /**
     * Compiles CUDA C to PTX for compute capability 7.5 and later, with the {@link #header}. Products and sums are not
     * fused, so that results equal Java's results.
     *
     * @param name the name of the source, for messages
     * @throws PsException with {@code CONFIGURATION} if this machine has no compiler, or if it refuses the source, with
     *     its messages
     */
    public static String compile(String source, String name) {
        Path nvcc = find().orElseThrow(() -> new PsException(
                PsException.Code.CONFIGURATION,
                "CUDA C \"" + name + "\": this machine has no nvcc (expected: one in $CUDA_HOME/bin or on the PATH; or"
                        + " ship the PTX, which needs no compiler)"));
        try {
            Path folder = Files.createTempDirectory("psf-nvcc-");
            try {
                return compile(nvcc, folder, source, name);
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, nvcc + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CANCELLED, nvcc + ": interrupted", e);
        }
    }

    private static String compile(Path nvcc, Path folder, String source, String name)
            throws IOException, InterruptedException {
        Path in = folder.resolve("source.cu");
        Path out = folder.resolve("source.ptx");
        Path log = folder.resolve("log");
        Files.writeString(in, source);
        int exit = new ProcessBuilder(
                        nvcc.toString(),
                        "-ptx",
                        "-arch=" + ARCHITECTURE,
                        "-fmad=false",
                        "-o",
                        out.toString(),
                        in.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (exit != 0) {
            String said = Files.readString(log)
                    .replace(in.toString(), name)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .collect(Collectors.joining("; "));
            throw new PsException(PsException.Code.CONFIGURATION, "CUDA C \"" + name + "\": " + said);
        }
        String ptx = new String(Files.readAllBytes(out), StandardCharsets.UTF_8);
        return header(source, name) + "\n" + ptx.replaceFirst("(?m)^\\.version .*$", PTX_VERSION);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}

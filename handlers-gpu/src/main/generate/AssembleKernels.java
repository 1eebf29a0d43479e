import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Assembles the kernels for the usual devices, if this machine has CUDA's assembler: a driver loads such a file at
 * once, where it compiles PTX for seconds. Without an assembler the jar has PTX alone. Arguments: the PTX, and the
 * folder for the files.
 */
final class AssembleKernels {
    /** Each also serves later devices of the same major part. */
    private static final List<String> ARCHITECTURES = List.of("sm_80", "sm_90");

    private AssembleKernels() {}

    public static void main(String[] arguments) throws Exception {
        Path ptx = Path.of(arguments[0]);
        Path folder = Files.createDirectories(Path.of(arguments[1]));
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(ptx));
        String name = "psf-" + HexFormat.of().formatHex(hash, 0, 8);
        deleteOthers(folder, name);
        Optional<Path> ptxas = find();
        for (String architecture : ptxas.isPresent() ? ARCHITECTURES : List.<String>of()) {
            Path file = folder.resolve(name + "-" + architecture + ".cubin");
            if (!Files.exists(file)) {
                assemble(ptxas.get(), ptx, architecture, file);
            }
        }
    }

    /** Deletes the files of another PTX. */
    private static void deleteOthers(Path folder, String name) throws IOException {
        try (var files = Files.newDirectoryStream(folder, "psf-*.cubin")) {
            for (Path file : files) {
                if (!file.getFileName().toString().startsWith(name)) {
                    Files.delete(file);
                }
            }
        }
    }

    private static Optional<Path> find() {
        List<Path> folders = new ArrayList<>();
        String home = System.getenv("CUDA_HOME");
        if (home != null && !home.isBlank()) {
            folders.add(Path.of(home, "bin"));
        }
        String path = System.getenv("PATH");
        for (String folder : (path == null ? "" : path).split(File.pathSeparator, -1)) {
            if (!folder.isBlank()) {
                folders.add(Path.of(folder));
            }
        }
        folders.add(Path.of("/usr/local/cuda/bin"));
        return folders.stream()
                .map(folder -> folder.resolve("ptxas"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Assembles the PTX. If the assembler refuses it, such as an old one, there is no file. */
    private static void assemble(Path ptxas, Path ptx, String architecture, Path file) throws Exception {
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        Process process = new ProcessBuilder(
                        ptxas.toString(), "-arch=" + architecture, "-o", unfinished.toString(), ptx.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() == 0) {
            Files.move(unfinished, file);
        } else {
            Files.deleteIfExists(unfinished);
            System.out.println(ptxas + " for " + architecture + ": " + said.strip());
        }
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The list of the files of a saved tensor. A save is valid once its manifest is written, so a save is either complete
 * or absent.
 *
 * @param tensor the saved tensor
 * @param save the save's unique number, which is part of the files' names
 * @param chains the files of each range of rows, in the order of the rows
 */
record Manifest(TensorInfo tensor, long save, List<Chain> chains) {
    private static final String NAME = "manifest";
    private static final String FIRST = "psf-checkpoint 1";
    /** The first line if increments are named. */
    private static final String INCREMENTAL = "psf-checkpoint 2";

    Manifest {
        chains = List.copyOf(chains);
    }

    /** Returns all files. */
    List<Piece> pieces() {
        return chains.stream().flatMap(chain -> chain.pieces().stream()).toList();
    }

    /** Returns the files of a range; empty if the save had other slices. */
    Optional<Chain> chain(Range range) {
        return chains.stream()
                .filter(each -> each.begin() == range.begin() && each.end() == range.end())
                .findFirst();
    }

    /**
     * Replaces the folder's manifest by this one, then deletes the files that it does not name.
     *
     * @throws PsException with {@code STORAGE} if a file is missing or on an I/O error
     */
    void write(Folder folder) {
        requireWhole(folder.path());
        Set<Path> files = new HashSet<>();
        for (Piece piece : pieces()) {
            Path file = piece.file(folder);
            if (!Files.isRegularFile(file)) {
                throw new PsException(
                        PsException.Code.STORAGE,
                        file + ", rows " + piece.rows() + ": not seen by the server that writes the manifest (expected:"
                                + " one directory for checkpoints that all servers share)");
            }
            files.add(file);
        }
        folder.replace(folder.path().resolve(NAME), sealed());
        deleteAllBut(folder, files);
    }

    private static int deleteAllBut(Folder folder, Set<Path> files) {
        try {
            return folder.deleteAllBut(files);
        } catch (IOException e) {
            throw Folder.failure("deleting what " + folder.path().resolve(NAME) + " does not name", e);
        }
    }

    /**
     * Deletes the files that the folder's manifest does not name; all files if the folder has no manifest. Deletes none
     * if the manifest cannot be read, since it may name any of them.
     *
     * @return the number of deleted files
     * @throws PsException with {@code STORAGE} on an I/O error
     */
    static int clean(Folder folder, String checkpoint, TensorId tensor) {
        if (!Files.isDirectory(folder.path())) {
            return 0;
        }
        Set<Path> named = new HashSet<>();
        if (Files.exists(folder.path().resolve(NAME), LinkOption.NOFOLLOW_LINKS)) {
            Manifest manifest;
            try {
                manifest = read(folder, checkpoint, tensor);
            } catch (PsException e) {
                return 0; // the next save that succeeds replaces it
            }
            manifest.pieces().forEach(piece -> named.add(piece.file(folder)));
        }
        return deleteAllBut(folder, named);
    }

    /**
     * Reads the manifest of a folder.
     *
     * @param checkpoint the checkpoint's name, for messages
     * @throws PsException with {@code STORAGE} if it is missing or damaged
     */
    static Manifest read(Folder folder, String checkpoint, TensorId tensor) {
        Path file = folder.path().resolve(NAME);
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "tensor \"" + tensor + "\" in checkpoint \"" + checkpoint + "\": no " + file
                            + " (expected: a tensor that has been saved there under this name)",
                    e);
        } catch (IOException e) {
            throw Folder.failure("reading " + file, e);
        }
        try {
            Manifest manifest = parse(text, tensor);
            manifest.requireWhole(file);
            return manifest;
        } catch (IllegalArgumentException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    file + ": damaged, " + e.getMessage() + " (expected: as it was saved)",
                    e);
        }
    }

    /** Returns the text with its checksum line. */
    private String sealed() {
        boolean whole = chains.stream().allMatch(chain -> chain.pieces().size() == 1);
        StringBuilder text = new StringBuilder((whole ? FIRST : INCREMENTAL) + "\n");
        text.append("shape %d %d\n".formatted(tensor.rows(), tensor.width()));
        text.append("save %016x\n".formatted(save));
        for (Chain chain : chains) {
            for (Piece piece : chain.pieces()) {
                boolean last = piece.bases() == chain.last().bases();
                text.append(last ? "rows" : "base %016x".formatted(piece.save()));
                text.append(" %d %d %d %08x\n".formatted(piece.begin(), piece.end(), piece.bytes(), piece.checksum()));
            }
        }
        return sealed(text.toString());
    }

    /** Returns the lines with their checksum line. */
    static String sealed(String lines) {
        return lines + "crc32c %08x\n".formatted(checksum(lines));
    }

    private static int checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    private static Manifest parse(String text, TensorId tensor) {
        List<String> lines = unsealed(text, text.startsWith(INCREMENTAL) ? INCREMENTAL : FIRST);
        if (lines.size() < 3) {
            throw new IllegalArgumentException("lines: " + lines.size());
        }
        String[] shape = fields(lines.get(1), "shape", 3);
        long save = Long.parseUnsignedLong(fields(lines.get(2), "save", 2)[1], 16);
        List<Chain> chains = new ArrayList<>();
        List<Piece> pieces = new ArrayList<>();
        for (String line : lines.subList(3, lines.size())) {
            if (line.startsWith("base ")) {
                String[] base = fields(line, "base", 6);
                pieces.add(piece(Long.parseUnsignedLong(base[1], 16), base, 2, pieces.size()));
            } else {
                pieces.add(piece(save, fields(line, "rows", 5), 1, pieces.size()));
                chains.add(new Chain(pieces));
                pieces.clear();
            }
        }
        if (!pieces.isEmpty()) {
            throw new IllegalArgumentException("its last line names a file of an earlier save");
        }
        return new Manifest(new TensorInfo(tensor, Long.parseLong(shape[1]), Integer.parseInt(shape[2])), save, chains);
    }

    private static Piece piece(long save, String[] fields, int at, int bases) {
        return new Piece(
                save,
                Long.parseLong(fields[at]),
                Long.parseLong(fields[at + 1]),
                Long.parseLong(fields[at + 2]),
                Integer.parseUnsignedInt(fields[at + 3], 16),
                bases);
    }

    /**
     * Returns the lines before the checksum line.
     *
     * @param first the expected first line: a format's name, a space, its version
     * @throws IllegalArgumentException if the first or the last line is not as expected
     */
    static List<String> unsealed(String text, String first) {
        int last = text.lastIndexOf("crc32c ");
        if (!text.startsWith(first.substring(0, first.indexOf(' ') + 1)) || last < 0) {
            throw new IllegalArgumentException("no first or last line");
        } else if (!text.startsWith(first + "\n")) {
            throw new IllegalArgumentException(
                    "first line: " + text.lines().findFirst().orElse("") + ", not " + first);
        }
        String crc = "crc32c %08x\n".formatted(checksum(text.substring(0, last)));
        if (!text.substring(last).equals(crc)) {
            throw new IllegalArgumentException(
                    "last line: " + text.substring(last).strip() + ", not " + crc.strip());
        }
        return text.substring(0, last).lines().toList();
    }

    static String[] fields(String line, String name, int count) {
        String[] fields = line.split(" ", -1);
        if (fields.length != count || !fields[0].equals(name)) {
            throw new IllegalArgumentException("line: " + line);
        }
        return fields;
    }

    /** Checks that the pieces cover all rows, without gap or overlap. */
    private void requireWhole(Path where) {
        long end = 0;
        for (Chain chain : chains) {
            if (chain.begin() != end || chain.end() <= chain.begin()) {
                throw hole(where, end, chain.begin());
            }
            end = chain.end();
        }
        if (end != tensor.rows()) {
            throw hole(where, end, tensor.rows());
        }
    }

    private PsException hole(Path where, long end, long begin) {
        return new PsException(
                PsException.Code.STORAGE,
                where + ": rows [" + end + ", " + begin + ") (expected: one file for each row of [0, " + tensor.rows()
                        + "))");
    }
}

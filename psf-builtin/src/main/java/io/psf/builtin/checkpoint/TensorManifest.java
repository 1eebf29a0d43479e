package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.OwnerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The manifest of a tensor that was saved by itself. A save is valid once its manifest is written, so a save is either
 * complete or absent.
 */
final class TensorManifest {
    private static final String NAME = "manifest";
    private static final String FIRST = "psf-checkpoint 1";
    /** The first line if increments are named, as the manifests of models once did. */
    private static final String INCREMENTAL = "psf-checkpoint 2";

    private TensorManifest() {}

    /**
     * Replaces the folder's manifest, then deletes the files that it does not name.
     *
     * @throws PsException with {@code STORAGE} if a file is missing or on an I/O error
     */
    static void write(Folder folder, TensorImages tensor) {
        tensor.requireWhole(folder.path());
        Set<Path> files = new HashSet<>();
        for (SavedImage image : tensor.images()) {
            Path file = folder.file(image);
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new PsException(
                        PsException.Code.STORAGE,
                        file + ", rows " + image.rows() + ": not seen by the server that writes the manifest (expected:"
                                + " one directory for checkpoints that all servers share)");
            }
            files.add(file);
        }
        folder.replace(folder.path().resolve(NAME), text(tensor));
        OwnerFiles.forceNames(folder.path());
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
            TensorImages there;
            try {
                there = read(folder, checkpoint, tensor);
            } catch (PsException e) {
                return 0; // the next save that succeeds replaces it
            }
            there.images().forEach(image -> named.add(folder.file(image)));
        }
        return deleteAllBut(folder, named);
    }

    /**
     * Reads the manifest of a folder.
     *
     * @param checkpoint the checkpoint's name, for messages
     * @throws PsException with {@code STORAGE} if it is missing or damaged
     */
    static TensorImages read(Folder folder, String checkpoint, TensorId tensor) {
        Path file = folder.path().resolve(NAME);
        String text;
        try {
            text = Folder.text(file);
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
            TensorImages found = parse(text, tensor);
            found.requireWhole(file);
            return found;
        } catch (IllegalArgumentException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    file + ": damaged, " + e.getMessage() + " (expected: as it was saved)",
                    e);
        }
    }

    private static String text(TensorImages tensor) {
        StringBuilder text = new StringBuilder(FIRST + "\n");
        text.append(String.format(
                Locale.ROOT,
                "shape %d %d\n",
                tensor.tensor().rows(),
                tensor.tensor().width()));
        text.append(String.format(Locale.ROOT, "save %016x\n", tensor.save()));
        for (SavedImage image : tensor.images()) {
            text.append(String.format(
                    Locale.ROOT, "rows %d %d %d %08x\n", image.begin(), image.end(), image.bytes(), image.checksum()));
        }
        return SealedText.seal(text.toString());
    }

    private static TensorImages parse(String text, TensorId tensor) {
        List<String> lines = SealedText.lines(text, text.startsWith(INCREMENTAL) ? INCREMENTAL : FIRST);
        if (lines.size() < 3) {
            throw new IllegalArgumentException("lines: " + lines.size());
        }
        String[] shape = SealedText.fields(lines.get(1), "shape", 3);
        long save = Long.parseUnsignedLong(SealedText.fields(lines.get(2), "save", 2)[1], 16);
        List<SavedChain> chains = new ArrayList<>();
        List<SavedImage> images = new ArrayList<>();
        for (String line : lines.subList(3, lines.size())) {
            if (line.startsWith("base ")) {
                String[] base = SealedText.fields(line, "base", 6);
                images.add(image(Long.parseUnsignedLong(base[1], 16), base, 2, images.size()));
            } else {
                images.add(image(save, SealedText.fields(line, "rows", 5), 1, images.size()));
                chains.add(new SavedChain(images));
                images.clear();
            }
        }
        if (!images.isEmpty()) {
            throw new IllegalArgumentException("its last line names a file of an earlier save");
        }
        TensorInfo info = new TensorInfo(tensor, Long.parseLong(shape[1]), Integer.parseInt(shape[2]));
        return new TensorImages(info, save, chains);
    }

    private static SavedImage image(long save, String[] fields, int at, int bases) {
        return SavedImage.alone(
                save,
                Long.parseLong(fields[at]),
                Long.parseLong(fields[at + 1]),
                Long.parseLong(fields[at + 2]),
                Integer.parseUnsignedInt(fields[at + 3], 16),
                bases);
    }
}

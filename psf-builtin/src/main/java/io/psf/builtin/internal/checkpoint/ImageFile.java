package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorInfo;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageInput;
import io.psf.builtin.image.ImageLoader;
import io.psf.builtin.image.Superseded;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/**
 * A verified image in a file. The whole image is verified before any of its rows is loaded, so that loading can fail
 * only with an I/O error.
 *
 * @param folder the folder of the model
 * @param image the position of the image in the file, its length and its checksum
 * @param header the header of the image
 * @param owned the rows of the image that belong to the shard for which it was verified
 * @param newer the keys that later images of the same slice replace or remove
 */
record ImageFile(Folder folder, SavedImage image, ImageHeader header, ImageHeader.Owned owned, Superseded newer) {
    /**
     * Verifies an image and reads its header: the checksum must match, and the image must have all parts that the
     * header declares.
     *
     * @param folder the folder of the model
     * @param shard the shard whose rows are loaded
     * @param newer the keys that later images of the same slice replace or remove
     * @throws PsException with {@code STORAGE} if the file is missing or damaged
     */
    static ImageFile verified(Folder folder, TensorInfo tensor, SavedImage image, StoredShard shard, Superseded newer) {
        return verified(
                folder,
                tensor,
                image,
                (header, in) -> new ImageFile(folder, image, header, header.requireBody(in, shard, newer), newer));
    }

    /** Checks the parts of an image that follow its header. */
    @FunctionalInterface
    interface BodyCheck<T> {
        T of(ImageHeader header, ImageInput in) throws IOException;
    }

    /**
     * Verifies an image and reads its header.
     *
     * @param body the check of what follows the header, at which the input stands
     * @throws PsException with {@code STORAGE} if the file is missing or damaged
     */
    static <T> T verified(Folder folder, TensorInfo tensor, SavedImage image, BodyCheck<T> body) {
        try (ImageInput in = folder.open(image)) {
            long end = image.offset() + image.bytes();
            ImageHeader.require(
                    "bytes", Math.min(end, folder.entry(image.file()).bytes()), end);
            ImageHeader.require("checksum", hex(in.checksum(in.size() - Integer.BYTES)), hex(image.checksum()));
            ImageHeader.require("checksum at the end", hex(in.i32()), hex(image.checksum()));
            in.seek(0);
            ImageHeader header = ImageHeader.read(in);
            requireOf(header, tensor, image);
            return body.of(header, in);
        } catch (NoSuchFileException e) {
            throw Folder.failure(place(folder, tensor, image), e);
        } catch (IOException e) {
            throw folder.unreadable(image.file(), e);
        } catch (PsException | IllegalArgumentException e) {
            String damage = e instanceof PsException known ? known.detail() : e.getMessage();
            throw new PsException(PsException.Code.STORAGE, place(folder, tensor, image) + ": damaged, " + damage, e);
        }
    }

    private static String place(Folder folder, TensorInfo tensor, SavedImage image) {
        return folder.place(image.file()) + ", tensor \"" + tensor.id() + "\", rows " + image.rows();
    }

    /**
     * Checks that a header belongs to an image: tensor, rows, save and number of bases must match the image.
     *
     * @throws PsException with {@code STORAGE} naming the first difference
     */
    static void requireOf(ImageHeader header, TensorInfo whole, SavedImage image) {
        ImageHeader.require("tensor", header.tensor(), whole);
        ImageHeader.require("rows", new Range(header.begin(), header.end()), new Range(image.begin(), image.end()));
        ImageHeader.require(
                "save",
                String.format(Locale.ROOT, "%016x", header.save()),
                String.format(Locale.ROOT, "%016x", image.save()));
        ImageHeader.require("bases", header.form().bases(), image.bases());
    }

    private static String hex(int number) {
        return String.format(Locale.ROOT, "%08x", number);
    }

    /** Copies the rows that the shard owns. */
    void load(ImageLoader loader) {
        try (ImageInput in = folder.open(image)) {
            loader.add(ImageHeader.read(in), in, newer);
        } catch (IOException e) {
            throw folder.unreadable(image.file(), e);
        }
    }
}

package io.psf.builtin.checkpoint;

import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The images of a shard whose content this server has verified or written, so that a save does not read them again
 * before it builds on them. An image whose file has been replaced or written to since is not among them. Attached to
 * the shard, used on its lane.
 */
final class VerifiedImages {
    private Map<Place, KnownFile> known = Map.of();

    /** The place of an image: the file, relative to the folder of the model, and the position there. */
    private record Place(String file, long offset) {
        static Place of(SavedImage image) {
            return new Place(image.file(), image.offset());
        }
    }

    static VerifiedImages of(StoredShard shard) {
        return shard.attachment(VerifiedImages.class, VerifiedImages::new);
    }

    /** Remembers images, and no others: only the newest step is built on. */
    void replace(Map<SavedImage, KnownFile> images) {
        Map<Place, KnownFile> all = new HashMap<>();
        images.forEach((image, file) -> all.put(Place.of(image), file));
        known = all;
    }

    /** Forgets all images: one of them is damaged. */
    void clear() {
        known = Map.of();
    }

    /** Returns true if all images are as they were when they were verified or written. */
    boolean hasAll(Folder folder, List<SavedImage> images) throws IOException {
        for (SavedImage image : images) {
            KnownFile file = known.get(Place.of(image));
            if (file == null || !file.isStill(folder, image.file())) {
                return false;
            }
        }
        return true;
    }
}

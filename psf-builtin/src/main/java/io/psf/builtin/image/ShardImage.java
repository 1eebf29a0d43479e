package io.psf.builtin.image;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.spi.KeptAnswers;
import io.psf.api.spi.MovingState;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.push.Pushes;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.util.List;

/**
 * The image of a shard. A checkpoint has its rows, slots, attachments and totals. The image of a slice that moves also
 * has the {@link MovingState}, such as its open rounds, and the answers that its server keeps, so that a shard made of
 * it goes on as the first one: the pushes of workers that come later complete the same rounds, and a call that is sent
 * again is not run again.
 *
 * <p>Written and read in pieces of at most 256 KB, or a row, from the beginning to the end. Used on the shard's lane,
 * which runs nothing else meanwhile: an image lies between two calls.
 */
public final class ShardImage {
    private ShardImage() {}

    /**
     * Writes the image of a shard that moves.
     *
     * @throws PsException with {@code UNAVAILABLE} while a step of the optimizer waits for sums of other slices
     */
    public static void write(StoredShard shard, OutputStream to) throws IOException {
        Pushes.requireNoStep(shard);
        ImageHeader header = ImageHeader.of(0, shard).withCalls();
        ImageOutput out = new ImageOutput(Channels.newChannel(to));
        new ImageCopy(header, ImageRows.ALL, shard, () -> out, 0).writeBody();
        try (DataOutputStream states = new DataOutputStream(new BufferedOutputStream(out.pieces(), 1 << 16))) {
            for (Object each : shard.attachments().all()) {
                if (each instanceof MovingState state && state.moves()) {
                    states.writeUTF(each.getClass().getName());
                    state.saveMoving(states);
                }
            }
            states.writeUTF("");
        }
        try (DataOutputStream answers = new DataOutputStream(new BufferedOutputStream(out.pieces(), 1 << 16))) {
            AnswerEntries.write(shard.keptAnswers(), answers);
        }
        var unused = out.finish();
    }

    /**
     * Replaces the content of a new shard by an image. The shard has the same slice, and was made of the same
     * declaration. If that fails the shard is of no use: its content was replaced in parts.
     *
     * @param from read to the end of the image; may be read further
     * @throws PsException with {@code STORAGE} if the image is damaged or of another slice; with {@code
     *     RESOURCE_EXHAUSTED} if there is no memory for it
     */
    public static void read(StoredShard shard, InputStream from) throws IOException {
        ImageInput in = ImageInput.of(Channels.newChannel(from));
        try {
            ImageHeader header = ImageHeader.read(in);
            requireOf(shard, header);
            ImageLoader loader = new ImageLoader(shard, header.slots(), false);
            loader.add(header, in, Superseded.NONE);
            loader.end();
            try (DataInputStream states = new DataInputStream(new BufferedInputStream(in.pieces(), 1 << 16))) {
                for (String name = states.readUTF(); !name.isEmpty(); name = states.readUTF()) {
                    state(shard, name).loadMoving(states);
                }
            }
            List<KeptAnswers.Entry> answers;
            try (DataInputStream entries = new DataInputStream(new BufferedInputStream(in.pieces(), 1 << 16))) {
                answers = AnswerEntries.read(entries);
            }
            int checksum = in.checksum();
            ImageHeader.require("checksum", in.i32(), checksum);
            answers.forEach(shard.keptAnswers()::load); // into sessions, which outlive a shard that is of no use
        } catch (EOFException | RuntimeException e) { // before the checksum is known, any part may be wrong
            if (e instanceof PsException known
                    && (known.code() == PsException.Code.STORAGE
                            || known.code() == PsException.Code.RESOURCE_EXHAUSTED)) {
                throw known;
            }
            throw new PsException(
                    PsException.Code.STORAGE,
                    "image of slice " + shard.range() + " of tensor \""
                            + shard.spec().id() + "\": damaged, " + e.getMessage() + " (expected: as it was written)",
                    e);
        }
    }

    private static MovingState state(StoredShard shard, String name) {
        return shard.attachments().all().stream()
                .filter(each -> each.getClass().getName().equals(name))
                .filter(MovingState.class::isInstance)
                .map(MovingState.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("state of " + name + ": unknown to the new shard"));
    }

    private static void requireOf(StoredShard shard, ImageHeader header) {
        ImageHeader.require("tensor", header.tensor().id(), shard.spec().id());
        ImageHeader.require("shape", header.tensor().shape(), shard.spec().shape());
        ImageHeader.require("slice", new Range(header.begin(), header.end()), shard.range());
        ImageHeader.require("optimizer", header.optimizer(), shard.optimizer().name());
        ImageHeader.require("bases", header.form().bases(), 0);
        ImageHeader.require("state of calls", header.form().calls(), true);
    }

    /**
     * Writes the image of a shard for a checkpoint.
     *
     * @param whole the header of an image with all rows
     * @param rows the rows to write
     * @return the checksum of the image
     */
    public static int write(ImageHeader whole, ImageRows rows, StoredShard shard, ImageOutput out) throws IOException {
        new ImageCopy(whole.with(rows.count(shard.rows()), rows.form()), rows, shard, () -> out, 0).writeBody();
        return out.finish();
    }
}

package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * A number of all that a checkpoint has of a tensor's rows, whatever the numbers of the rows and of the slices: values,
 * slots, entries of attachments. Slots of zeros count as none.
 */
@PsFunction(value = "test.content", readOnly = true)
public interface Content {
    record Request(TensorId tensor) {}

    record Response(
            @Reduce(Reduction.SUM) long rows,
            @Reduce(Reduction.SUM) long content) {}

    default Response handle(Request request, StoredShard shard) {
        long[] sum = {0};
        for (int row = 0; row < shard.rows(); row++) {
            long key = shard.key(row);
            sum[0] += mixed(key, 1, bits(shard.storedValues().read(row, 1)));
            int at = row;
            shard.storedSlots().forEach((name, slot) -> {
                long bits = bits(slot.read(at, 1));
                sum[0] += bits == bits(FloatArray.allocate(slot.width())) ? 0 : mixed(key, name.hashCode(), bits);
            });
        }
        for (String attachment : shard.attachments().saved()) {
            try {
                shard.attachments().save(attachment, entry -> {
                    if (!entry.total()) {
                        sum[0] += mixed(entry.key(), attachment.hashCode(), Arrays.hashCode(entry.bytes()));
                    }
                });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new Response(shard.rows(), sum[0]);
    }

    private static long bits(FloatArray values) {
        return Arrays.hashCode(values.toArray());
    }

    private static long mixed(long key, long of, long bits) {
        long product = (key * 0x9e37_79b9_7f4a_7c15L + of * 0xd6e8_feb8_6659_fd93L ^ bits) * 0x9e37_79b9_7f4a_7c15L;
        return (product ^ product >>> 29) * 0xd6e8_feb8_6659_fd93L;
    }
}

package io.psf.runtime;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduce;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** Makes the slices that {@link TakeSlices} has taken, on the servers of another layout. */
@PsFunction(value = "acceptance.put-slices", at = Place.SERVER)
interface PutSlices {
    /** The layout of each tensor whose slices are on no server, as they are placed next. */
    Map<TensorId, TensorLayout> NEXT = new ConcurrentHashMap<>();

    /** Adds what is pushed. Functions of the tests change the values themselves. */
    Optimizer ADD = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {
            shard.values().addScaled(1, update);
        }

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {
            int width = shard.width();
            for (int i = 0; i < keys.length(); i++) {
                shard.values(keys.get(i)).addScaled(1, update.slice(i * width, (i + 1) * width));
            }
        }
    };

    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) int put) {}

    default Response handle(Request request, Node server) {
        TensorLayout layout = Objects.requireNonNull(NEXT.get(request.tensor()));
        Map<Integer, float[]> taken = Objects.requireNonNull(TakeSlices.TAKEN.get(request.tensor()));
        int put = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            float[] there = layout.server(slice) == server.rank() ? taken.remove(slice) : null;
            if (there != null) {
                FloatArray values = FloatArray.wrap(there);
                put += server.create(layout, slice, ADD, shard -> shard.values().copyFrom(0, values)) ? 1 : 0;
            }
        }
        return new Response(put);
    }
}

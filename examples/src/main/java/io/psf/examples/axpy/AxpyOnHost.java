package io.psf.examples.axpy;

import io.psf.api.PsHandler;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;

@PsHandler // found on a server's class path
public final class AxpyOnHost implements Axpy {
    @Override
    public Response handle(Request slice, Shard shard) {
        FloatArray y = shard.values(); // this shard's rows, a view
        y.addScaled(slice.alpha(), slice.x());
        return new Response(y.dot(y));
    }
}

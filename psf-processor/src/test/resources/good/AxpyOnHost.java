package good;

import io.psf.api.PsHandler;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;

@PsHandler
public final class AxpyOnHost implements Axpy {
  @Override public Response handle(Request slice, Shard shard) {
    FloatArray y = shard.values();
    y.addScaled(slice.alpha(), slice.x());
    return new Response(y.dot(y));
  }
}

package good;

import io.psf.api.PsFunction;
import io.psf.api.PsHandler;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;

final class Outer {
  /** Nested, with keys out and ranges back. */
  @PsFunction("acme.outer.inner")
  interface Inner {
    record Request(@ByKey LongArray keys, TensorId tensor) {}

    record Response(@ByRange FloatArray values) {}

    Response handle(Request slice, Shard shard);
  }

  @PsHandler
  public static final class OnHost implements Inner {
    @Override
    public Response handle(Request slice, Shard shard) {
      return new Response(shard.values());
    }
  }
}

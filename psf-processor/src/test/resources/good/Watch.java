package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import java.util.concurrent.CompletionStage;

/** Answers when a tensor has changed, and holds no other call back meanwhile. */
@PsFunction(value = "acme.watch", readOnly = true, ordered = false)
public interface Watch {
  record Request(TensorId tensor, long seen) {}

  record Response(@Reduce(Reduction.MAX) long changes) {}

  CompletionStage<Response> handle(Request slice, Shard shard);
}

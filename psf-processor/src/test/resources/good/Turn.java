package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.concurrent.CompletionStage;

/** Answers when it is the caller's turn. */
@PsFunction("acme.turn")
public interface Turn {
  record Request(TensorId tensor, long clock) {}

  record Response() {}

  CompletionStage<Response> handle(Request slice, Shard shard);
}

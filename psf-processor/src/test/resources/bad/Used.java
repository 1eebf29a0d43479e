package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** One mistake is one error: what uses the generated class compiles against its skeleton. */
@PsFunction("bad.used")
public interface Used {
  record Request(TensorId tensor, Float boxed, @ByRange FloatArray x) {} // ERROR [PsfType]

  record Response(@ByRange FloatArray values) {}

  Response handle(Request slice, Shard shard);

  @PsHandler
  final class OnHost implements Used {
    @Override
    public Response handle(Request slice, Shard shard) {
      return new Response(slice.x());
    }
  }

  final class User {
    FloatArray use(io.psf.api.Caller worker, TensorId tensor, FloatArray x) {
      UsedPsf.Stub stub = UsedPsf.stub(worker).withDeadline(java.time.Duration.ofSeconds(1));
      UsedPsf.bind(new OnHost());
      String name = UsedPsf.NAME + UsedPsf.ID + UsedPsf.FUNCTION;
      stub.call(tensor, 1f, x, new Response(x)).await();
      return stub.call(tensor, 1f, x).await().values();
    }
  }
}

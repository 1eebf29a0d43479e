package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** One mistake is one error, on its line. */
@PsFunction("bad.TenMistakes") // ERROR [PsfName]
public interface TenMistakes {
  record Request(
      TensorId tensor,
      Map<String, Object> options, // ERROR [PsfType]
      @ByRange float[] gradient, // ERROR [PsfLayoutType]
      @ByKey(combine = Reduction.OR) LongArray rows, // ERROR [PsfCombine]
      @Along("row") FloatArray values, // ERROR [PsfAlongUnknown]
      @Reduce(Reduction.SUM) double total, // ERROR [PsfReduceInRequest]
      @Since(1) int rounds) {} // ERROR [PsfSince]

  record Response(
      float norm, // ERROR [PsfResponseLayout]
      @Reduce(Reduction.AND) double last, // ERROR [PsfReduction]
      @Along("rows") FloatArray pulled,
      List<Step> steps) {}

  record Step(int slice, float loss) {}

  Response handle(Shard shard, Request slice); // ERROR [PsfHandleSignature]

  @PsHandler
  final class OnHost implements TenMistakes {
    @Override
    public Response handle(Shard shard, Request slice) {
      return new Response(0, 0, slice.values(), List.of());
    }
  }

  final class User {
    FloatArray use(io.psf.api.Caller worker, Request it) {
      return TenMistakesPsf.stub(worker)
          .call(it.tensor(), it.options(), it.gradient(), it.rows(), it.values(), it.total(), it.rounds())
          .await()
          .pulled();
    }
  }
}

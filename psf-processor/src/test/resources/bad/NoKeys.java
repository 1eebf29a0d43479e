package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.no.keys")
public interface NoKeys {
  record Request(TensorId tensor, @Along("keys") FloatArray x) {} // ERROR [PsfAlongUnknown]

  record Response(@ByKey(combine = Reduction.NONE, everySlice = true) LongArray keys) {} // ERROR [PsfKeysInResponse]

  Response handle(Request slice, Shard shard);
}

package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.misnamed")
public interface Misnamed { // ERROR [PsfRequest]
  record Requests(TensorId tensor) {}

  class Response {} // ERROR [PsfResponse]

  Response handle(Requests slice, Shard shard);
}

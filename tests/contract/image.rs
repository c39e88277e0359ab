//! Real images, made in memory.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns a black one-bit PNG of `width` by `height` pixels.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let row = 1 + width.div_ceil(8) as usize;
    let pixels = vec![0; row * height as usize];
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([1, 0, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, body) in [(b"IHDR", header), (b"IDAT", zlib_stored(&pixels)), (b"IEND", Vec::new())]
    {
        let length = u32::try_from(body.len()).expect("a small picture");
        let named = [name.as_slice(), &body].concat();
        png.extend(length.to_be_bytes());
        png.extend(&named);
        png.extend(crc32(&named).to_be_bytes());
    }
    png
}

/// Returns one pixel in each of the other formats.
pub(crate) fn pixels() -> [(&'static str, Vec<u8>); 3] {
    const JPEG: &str = "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////\
        ////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=";
    const WEBP: &str = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==";
    const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    [("jpeg", JPEG), ("webp", WEBP), ("gif", GIF)]
        .map(|(format, text)| (format, STANDARD.decode(text).expect("base64")))
}

fn zlib_stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks = bytes.chunks(usize::from(u16::MAX));
    let last = blocks.len() - 1;
    for (index, block) in blocks.enumerate() {
        let length = u16::try_from(block.len()).expect("a chunk fits");
        out.push(u8::from(index == last));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    out.extend(((high << 16) | low).to_be_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

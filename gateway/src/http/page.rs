//! The page itself: fixed files, built in.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

pub(super) async fn index() -> impl IntoResponse {
    file("text/html; charset=utf-8", include_str!("page/index.html"))
}

pub(super) async fn script() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("page/app.js"),
    )
}

pub(super) async fn drawing() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("page/draw.js"),
    )
}

pub(super) async fn enclosing() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("page/enclose.js"),
    )
}

pub(super) async fn asking() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("page/ask.js"),
    )
}

pub(super) async fn console() -> impl IntoResponse {
    file(
        "text/html; charset=utf-8",
        include_str!("page/console.html"),
    )
}

pub(super) async fn console_script() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("page/console.js"),
    )
}

pub(super) async fn console_style() -> impl IntoResponse {
    file("text/css; charset=utf-8", include_str!("page/console.css"))
}

pub(super) async fn lists() -> impl IntoResponse {
    file(
        "text/javascript; charset=utf-8",
        include_str!("page/lists.js"),
    )
}

pub(super) async fn style() -> impl IntoResponse {
    file("text/css; charset=utf-8", include_str!("page/style.css"))
}

pub(super) async fn icon() -> impl IntoResponse {
    file("image/svg+xml", include_str!("page/icon.svg"))
}

fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], text)
}
